SELECT length({p4:Array(Int64)}) - indexOf(arrayReverse({p4:Array(Int64)}), roundDown(toUnixTimestamp64Milli(time), {p4:Array(Int64)})) AS value, count() AS clicks, arraySum(arrayMap(hashes -> arrayUniq(hashes), groupArrayIfResample(4000000000, 0, 16, 1)(visitor, visitor != 0, bitAnd(visitor, 15)))) AS visitors
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
GROUP BY roundDown(toUnixTimestamp64Milli(time), {p4:Array(Int64)})
ORDER BY value
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = [1000,2000,3000,4000]
