SELECT 0 AS value, count() AS clicks
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND toStartOfHour(time) >= toDateTime(fromUnixTimestamp64Milli({p2:Int64}, 'UTC'), 'UTC')
  AND toStartOfHour(time) < toDateTime(fromUnixTimestamp64Milli({p3:Int64}, 'UTC'), 'UTC')
  AND bot != ''
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
