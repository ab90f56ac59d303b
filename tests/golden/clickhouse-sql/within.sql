WITH concat(city, '\0', region, '\0', country) AS names
SELECT splitByChar('\0', names)[1] AS value, splitByChar('\0', names)[2] AS within1, splitByChar('\0', names)[3] AS within2, count() AS clicks
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
GROUP BY names
ORDER BY clicks DESC, names
LIMIT {p4:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = 5000
