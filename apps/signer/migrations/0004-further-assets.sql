-- Of assets beside the first one, by `CODE:ISSUER`: the largest amount in stroops that was signed with the sequence number.
alter table payments add column further jsonb not null default '{}';
