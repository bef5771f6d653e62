-- What a notification says in Spanish; null: its sender, of an earlier release, said it in English alone.
alter table notifications add column spanish text;
