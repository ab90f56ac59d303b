SELECT linkId, sum(clicks) AS clicks, max(lastFrom) AS lastFrom, max(lastTo) AS lastTo
FROM (
SELECT linkId, countIf(bot = '') AS clicks, maxIf(toUnixTimestamp64Milli(time), bot = '') AS lastFrom, lastFrom AS lastTo FROM clicks
WHERE workspaceId = {p1:UInt32} AND linkId > {p2:String} AND batch <= {p3:UInt64} AND batch NOT IN {p4:Array(UInt64)} AND NOT (time < fromUnixTimestamp64Milli({p6:Int64}, 'UTC') AND batch <= {p7:UInt64})
GROUP BY linkId ORDER BY linkId LIMIT {p5:UInt64}
UNION ALL
SELECT linkId, sumIf(clicks, NOT isBot), maxIf(toUnixTimestamp64Milli(time), NOT isBot), maxIf(toUnixTimestamp64Milli(time) + 899999, NOT isBot)
FROM expired_clicks FINAL
WHERE workspaceId = {p1:UInt32} AND linkId > {p2:String} AND generation <= {p8:UInt64}
GROUP BY linkId ORDER BY linkId LIMIT {p5:UInt64}
)
GROUP BY linkId ORDER BY linkId LIMIT {p5:UInt64}
-- p1 = 7
-- p2 = "link_a"
-- p3 = 50
-- p4 = [44,47]
-- p5 = 100
-- p6 = 1790812800000
-- p7 = 41
-- p8 = 1
