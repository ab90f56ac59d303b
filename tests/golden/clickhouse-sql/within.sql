SELECT city AS value, region AS within1, country AS within2, count() AS clicks
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
GROUP BY value, within1, within2
ORDER BY clicks DESC, value, within1, within2
LIMIT {p4:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = 5000
