-- What waits for a second person in compliance may be about one customer: only those hear of it who may know.
update notifications n set kind = 'compliance-second-person-waits'
  from audit_log wanted
  where n.kind = 'second-person-waits' and wanted.subject = 'anchor:' || n.anchor_id and wanted.at = n.started_at
    and wanted.action in (
      'screening-threshold.wanted', 'velocity-rules.wanted', 'travel-rule.wanted', 'country-rules.wanted',
      'retention.wanted', 'risk-rules.wanted', 'outside-check.wanted', 'customer-rating.wanted');
update notification_preferences set kinds = array_append(kinds, 'compliance-second-person-waits')
  where 'second-person-waits' = any (kinds);
