-- SPDX-License-Identifier: Apache-2.0
-- Types of an allocation: those that its profile names, beside the record of the profile because a
-- trigger cannot read JSON where a schema is not trusted, each between two line feeds (NULL: any
-- type), and why it is on another than the first of the order (NULL: it is on the first, or there
-- was no order).

ALTER TABLE allocation ADD COLUMN profile_types TEXT;
ALTER TABLE allocation ADD COLUMN type_reason TEXT;
UPDATE allocation SET profile_types = (SELECT char(10) || group_concat(value, char(10)) || char(10)
	FROM json_each(profile_record, '$.types')) WHERE json_valid(profile_record);
