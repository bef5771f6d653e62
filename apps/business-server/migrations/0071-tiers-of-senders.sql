-- Whose limits the senders of another anchor have, each for themselves: as far as its identity checks are relied on.
alter table sending_anchors add column tier text not null default 'standard' check (tier in ('standard', 'enhanced'));
