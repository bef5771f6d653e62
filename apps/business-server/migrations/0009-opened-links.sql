-- Interactive links that were opened: each starts one browser's session.
create table opened_links (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index opened_links_expiry on opened_links (expires_at);
