SELECT linkId, toUnixTimestamp64Milli(max(time)) AS time, argMax((domainId, domain, key), time) AS target,
  argMaxIf(url, time, isStored) AS url
FROM (
SELECT linkId, time, domainId, domain, key, url, true AS isStored FROM clicks
WHERE workspaceId = {p1:UInt32} AND linkId IN {p2:Array(String)} AND NOT (time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC') AND batch <= {p4:UInt64})
UNION ALL
SELECT linkId, time, domainId, domain, key, '', false FROM expired_clicks FINAL
WHERE workspaceId = {p1:UInt32} AND linkId IN {p2:Array(String)} AND generation <= {p5:UInt64}
)
GROUP BY linkId
-- p1 = 7
-- p2 = ["link_a","link_b"]
-- p3 = 1790812800000
-- p4 = 41
-- p5 = 1
