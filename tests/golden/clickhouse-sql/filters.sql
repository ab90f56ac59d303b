SELECT os AS value, count() AS clicks
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
  AND linkId IN {p4:Array(String)}
  AND country NOT IN {p5:Array(String)}
  AND utm_source IN {p6:Array(String)}
GROUP BY value
ORDER BY clicks DESC, value
LIMIT {p7:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = ["link_a"]
-- p5 = ["US","CA"]
-- p6 = ["'; DROP TABLE clicks; --",""]
-- p7 = 10
