-- Acts of keys that the platform does not take, so that it learns of the others.
alter table key_acts add column refused_code text;
