-- What people are notified of: a condition from when it began until it ended, or an event, which ends as it begins.
create table notifications (
  id text primary key,
  -- Null: of the platform, for administrators.
  anchor_id text references anchors,
  kind text not null,
  subject text not null,
  detail text not null,
  event boolean not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  -- The changes of one report share it and, where they end, the end.
  recorded_at timestamptz not null
);
create unique index notifications_open on notifications (coalesce(anchor_id, ''), kind, subject)
  where ended_at is null;
create unique index notifications_event on notifications (coalesce(anchor_id, ''), kind, subject) where event;
create index notifications_newest on notifications (anchor_id, started_at desc, id desc);

-- Who chose which emails; owners and admins without a row get all, members none.
create table notification_preferences (
  anchor_id text not null references anchors,
  user_id text not null references users,
  kinds text[] not null,
  primary key (anchor_id, user_id)
);

create table notification_webhooks (
  id text primary key,
  anchor_id text not null references anchors,
  url text not null,
  kinds text[] not null,
  -- Under PLATFORM_KEY.
  sealed_secret bytea not null,
  created_at timestamptz not null,
  last_sent_at timestamptz,
  last_error text
);
create index notification_webhooks_anchor on notification_webhooks (anchor_id, created_at);
