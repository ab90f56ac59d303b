SELECT toString(id) AS id, toUnixTimestamp64Milli(time) AS time, workspaceId, if(visitor = 0, '', lower(leftPad(hex(visitor), 16, '0'))) AS visitor, linkId, domainId, domain, key, url, country, region, city, continent, device, browser, os, referer, refererUrl, language, trigger, bot, utm_source, utm_medium, utm_campaign, utm_term, utm_content
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND country IN {p4:Array(String)}
ORDER BY clicks.time ASC, UUIDToNum(clicks.id) ASC
LIMIT {p5:UInt64} OFFSET {p6:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = ["DE"]
-- p5 = 50
-- p6 = 100
