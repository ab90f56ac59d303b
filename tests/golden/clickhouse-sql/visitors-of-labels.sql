SELECT label AS value, sum(number) AS clicks, arraySum(arrayMap(hashes -> arrayUniq(hashes), groupArrayIfResampleMerge(4000000000, 0, 16, 1)(collected))) AS visitors
FROM (
SELECT linkId AS named, count() AS number, groupArrayIfResampleState(4000000000, 0, 16, 1)(visitor, visitor != 0, bitAnd(visitor, 15)) AS collected
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
GROUP BY named
) AS counted
INNER JOIN (
SELECT pair.1 AS named, pair.2 AS label FROM (SELECT arrayJoin(arrayZip({p5:Array(String)}, {p6:Array(String)})) AS pair)
) AS labelled USING (named)
GROUP BY value
ORDER BY visitors DESC, clicks DESC, value
LIMIT {p4:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = 5000
-- p5 = ["link_a","link_b"]
-- p6 = ["fold_a","fold_a"]
