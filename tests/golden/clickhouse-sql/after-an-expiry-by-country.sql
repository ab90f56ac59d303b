SELECT os AS value, count() AS clicks
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND NOT (time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC') AND batch <= {p5:UInt64})
  AND bot = ''
  AND linkId IN {p6:Array(String)}
  AND country NOT IN {p7:Array(String)}
  AND utm_source IN {p8:Array(String)}
GROUP BY value
ORDER BY clicks DESC, value
LIMIT {p9:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = 1790812800000
-- p5 = 41
-- p6 = ["link_a"]
-- p7 = ["US","CA"]
-- p8 = ["'; DROP TABLE clicks; --",""]
-- p9 = 10
