SELECT intDiv(toUnixTimestamp64Milli(time), {p4:Int64}) AS value, count() AS clicks
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
GROUP BY intDiv(toUnixTimestamp64Milli(time), {p4:Int64})
ORDER BY value
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = 900000
