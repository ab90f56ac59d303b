SELECT count() AS clicks
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND NOT (time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC') AND batch <= {p5:UInt64})
  AND bot = ''
  AND country NOT IN {p6:Array(String)}
  AND utm_source IN {p7:Array(String)}
  AND false
  AND batch <= {p8:UInt64}
  AND batch NOT IN {p9:Array(UInt64)}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = 1790812800000
-- p5 = 41
-- p6 = ["US","CA"]
-- p7 = ["'; DROP TABLE clicks; --",""]
-- p8 = 50
-- p9 = [44,47]
