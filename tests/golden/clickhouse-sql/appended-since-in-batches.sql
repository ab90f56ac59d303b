SELECT toString(id) AS id, toUnixTimestamp64Milli(time) AS time, workspaceId, if(visitor = 0, '', lower(leftPad(hex(visitor), 16, '0'))) AS visitor, linkId, domainId, domain, key, url, country, region, city, continent, device, browser, os, referer, refererUrl, language, trigger, bot, utm_source, utm_medium, utm_campaign, utm_term, utm_content
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND bot = ''
  AND country IN {p4:Array(String)}
  AND UUIDToNum(clicks.id) >= UUIDToNum(toUUID({p5:String}))
  AND UUIDToNum(clicks.id) < UUIDToNum(toUUID({p6:String}))
  AND batch BETWEEN {p7:UInt64} AND {p8:UInt64}
ORDER BY UUIDToNum(clicks.id)
LIMIT {p9:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = ["DE"]
-- p5 = "0f8fad5b-d9cb-869f-8000-000000000040"
-- p6 = "0f8fad5b-d9cb-869f-8000-000000001000"
-- p7 = 30
-- p8 = 34
-- p9 = 100
