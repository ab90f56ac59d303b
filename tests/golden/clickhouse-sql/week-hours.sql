SELECT intDiv(toUnixTimestamp64Milli(time) + transform(roundDown(toUnixTimestamp64Milli(time), {p5:Array(Int64)}), {p5:Array(Int64)}, {p6:Array(Int64)}, 0) + 259200000, 3600000) % 168 AS value, count() AS clicks, arraySum(arrayMap(hashes -> arrayUniq(hashes), groupArrayIfResample(4000000000, 0, 16, 1)(visitor, visitor != 0, bitAnd(visitor, 15)))) AS visitors
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
  AND country IN {p4:Array(String)}
GROUP BY intDiv(toUnixTimestamp64Milli(time) + transform(roundDown(toUnixTimestamp64Milli(time), {p5:Array(Int64)}), {p5:Array(Int64)}, {p6:Array(Int64)}, 0) + 259200000, 3600000) % 168
ORDER BY value
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = ["DE"]
-- p5 = [1000,2000,3000]
-- p6 = [7200000,3600000,-20700000]
