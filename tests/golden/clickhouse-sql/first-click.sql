SELECT min(first) AS first FROM (
SELECT minOrNull(toUnixTimestamp64Milli(time)) AS first FROM clicks WHERE workspaceId = {p1:UInt32} AND time < fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
UNION ALL
SELECT minOrNull(toUnixTimestamp64Milli(time)) FROM expired_clicks
WHERE workspaceId = {p1:UInt32} AND time < fromUnixTimestamp64Milli({p2:Int64}, 'UTC') AND generation <= {p3:UInt64}
)
-- p1 = 7
-- p2 = 1767225600000
-- p3 = 1
