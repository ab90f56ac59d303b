SELECT
  clicks.id AS id,
  concat(replaceOne(toString(clicks.time), ' ', 'T'), 'Z') AS timestamp,
  clicks.linkId AS linkId,
  transform(domainId, {p1:Array(String)}, {p2:Array(String)}, toString(domain)) AS domain,
  nullIf(toString(clicks.key), '') AS key,
  nullIf(toString(clicks.url), '') AS url,
  nullIf(toString(clicks.country), '') AS country,
  nullIf(toString(clicks.region), '') AS region,
  nullIf(toString(clicks.city), '') AS city,
  nullIf(toString(clicks.continent), '') AS continent,
  nullIf(toString(clicks.device), '') AS device,
  nullIf(toString(clicks.browser), '') AS browser,
  nullIf(toString(clicks.os), '') AS os,
  nullIf(toString(clicks.referer), '') AS referer,
  nullIf(toString(clicks.refererUrl), '') AS refererUrl,
  nullIf(toString(clicks.language), '') AS language,
  toString(clicks.trigger) AS trigger,
  toBool(clicks.trigger = 'qr') AS qr,
  nullIf(toString(clicks.bot), '') AS bot,
  nullIf(if(clicks.visitor = 0, '', lower(leftPad(hex(clicks.visitor), 16, '0'))), '') AS visitor,
  nullIf(toString(clicks.utm_source), '') AS utm_source,
  nullIf(toString(clicks.utm_medium), '') AS utm_medium,
  nullIf(toString(clicks.utm_campaign), '') AS utm_campaign,
  nullIf(toString(clicks.utm_term), '') AS utm_term,
  nullIf(toString(clicks.utm_content), '') AS utm_content
FROM clicks
WHERE workspaceId = {p3:UInt32}
  AND time >= fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
  AND NOT (time < fromUnixTimestamp64Milli({p6:Int64}, 'UTC') AND batch <= {p7:UInt64})
  AND bot = ''
  AND country NOT IN {p8:Array(String)}
  AND utm_source IN {p9:Array(String)}
  AND false
  AND batch <= {p10:UInt64}
  AND batch NOT IN {p11:Array(UInt64)}
FORMAT JSONEachRow
-- p1 = ["dom_a"]
-- p2 = ["go.example.com"]
-- p3 = 7
-- p4 = 1795132800000
-- p5 = 1795219200000
-- p6 = 1790812800000
-- p7 = 41
-- p8 = ["US","CA"]
-- p9 = ["'; DROP TABLE clicks; --",""]
-- p10 = 50
-- p11 = [44,47]
