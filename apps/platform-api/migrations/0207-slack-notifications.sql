-- What a webhook sends: events signed by Standard Webhooks, or messages that Slack and what understands its form displays.
-- The address of the latter is its only secret: `sealed_secret` has it, and `url` its host.
alter table notification_webhooks
  add column format text not null default 'standard' check (format in ('standard', 'slack'));
