SELECT label AS value, sum(number) AS clicks
FROM (
SELECT linkId AS named, count() AS number
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND toStartOfMonth(time) >= toDate(fromUnixTimestamp64Milli({p2:Int64}, 'UTC'))
  AND toStartOfMonth(time) < toDate(fromUnixTimestamp64Milli({p3:Int64}, 'UTC'))
  AND bot = ''
GROUP BY named
UNION ALL
SELECT linkId AS named, count() AS number
FROM clicks
WHERE workspaceId = {p4:UInt32}
  AND time >= fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p6:Int64}, 'UTC')
  AND bot = ''
GROUP BY named
UNION ALL
SELECT linkId AS named, count() AS number
FROM clicks
WHERE workspaceId = {p7:UInt32}
  AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
  AND bot = ''
GROUP BY named
) AS counted
INNER JOIN (
SELECT pair.1 AS named, pair.2 AS label FROM (SELECT arrayJoin(arrayZip({p11:Array(String)}, {p12:Array(String)})) AS pair)
) AS labelled USING (named)
GROUP BY value
ORDER BY clicks DESC, value
LIMIT {p10:UInt64}
-- p1 = 7
-- p2 = 1788220800000
-- p3 = 1793491200000
-- p4 = 7
-- p5 = 1787203800000
-- p6 = 1788220800000
-- p7 = 7
-- p8 = 1793491200000
-- p9 = 1793577600000
-- p10 = 5000
-- p11 = ["link_a","link_b"]
-- p12 = ["fold_a","fold_a"]
