SELECT min(first) AS first FROM (
SELECT minOrNull(toUnixTimestamp64Milli(time)) AS first FROM clicks WHERE workspaceId = {p1:UInt32}
UNION ALL
SELECT minOrNull(toUnixTimestamp64Milli(time)) FROM expired_clicks
WHERE workspaceId = {p1:UInt32} AND generation <= {p2:UInt64}
)
-- p1 = 7
-- p2 = 1
