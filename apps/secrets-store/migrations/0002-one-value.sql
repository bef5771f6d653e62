-- A secret is its current value: no caller reads older versions, restores what it deleted, or sets descriptions and tags.
delete from secrets where delete_after is not null;

alter table secrets
  add column version_id text,
  add column sealed bytea;

update secrets
set version_id = v.version_id, sealed = v.sealed, changed_at = v.created_at
from stages s
join versions v using (arn, version_id)
where s.arn = secrets.arn and s.stage = 'AWSCURRENT' and v.kind = 'string';

delete from secrets where sealed is null;

drop table stages;
drop table versions;

alter table secrets
  alter column version_id set not null,
  -- AES-256-GCM bound to ARN and version, so that rows cannot be swapped for one another.
  alter column sealed set not null,
  drop column description,
  drop column kms_key_id,
  drop column tags,
  drop column accessed_on,
  drop column delete_after;
