-- The language in which the person with this address gets emails; without a row: English.
create table email_languages (
  address text primary key,
  language text not null,
  -- Whether the person chose it; false: their browser prefers it.
  chosen boolean not null
);
-- The language of the page on which the application was sent: that of the emails about it.
alter table applications add column language text not null default 'en';
