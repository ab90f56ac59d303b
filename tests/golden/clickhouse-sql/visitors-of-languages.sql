SELECT language AS value, count() AS clicks, arraySum(arrayMap(hashes -> arrayUniq(hashes), groupArrayIfResample(4000000000, 0, 16, 1)(visitor, visitor != 0, bitAnd(visitor, 15)))) AS visitors
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
GROUP BY value
ORDER BY visitors DESC, clicks DESC, value
LIMIT {p4:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = 10
