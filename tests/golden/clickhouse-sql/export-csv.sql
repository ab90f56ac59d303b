SELECT
  clicks.id AS id,
  concat(replaceOne(toString(clicks.time), ' ', 'T'), 'Z') AS timestamp,
  clicks.linkId AS linkId,
  transform(domainId, {p1:Array(String)}, {p2:Array(String)}, toString(domain)) AS domain,
  nullIf(if(substringUTF8(toString(clicks.key), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.key)), toString(clicks.key)), '') AS key,
  nullIf(if(substringUTF8(toString(clicks.url), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.url)), toString(clicks.url)), '') AS url,
  nullIf(if(substringUTF8(toString(clicks.country), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.country)), toString(clicks.country)), '') AS country,
  nullIf(if(substringUTF8(toString(clicks.region), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.region)), toString(clicks.region)), '') AS region,
  nullIf(if(substringUTF8(toString(clicks.city), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.city)), toString(clicks.city)), '') AS city,
  nullIf(if(substringUTF8(toString(clicks.continent), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.continent)), toString(clicks.continent)), '') AS continent,
  nullIf(if(substringUTF8(toString(clicks.device), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.device)), toString(clicks.device)), '') AS device,
  nullIf(if(substringUTF8(toString(clicks.browser), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.browser)), toString(clicks.browser)), '') AS browser,
  nullIf(if(substringUTF8(toString(clicks.os), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.os)), toString(clicks.os)), '') AS os,
  nullIf(if(substringUTF8(toString(clicks.referer), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.referer)), toString(clicks.referer)), '') AS referer,
  nullIf(if(substringUTF8(toString(clicks.refererUrl), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.refererUrl)), toString(clicks.refererUrl)), '') AS refererUrl,
  nullIf(if(substringUTF8(toString(clicks.language), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.language)), toString(clicks.language)), '') AS language,
  toString(clicks.trigger) AS trigger,
  toBool(clicks.trigger = 'qr') AS qr,
  nullIf(toString(clicks.bot), '') AS bot,
  nullIf(if(clicks.visitor = 0, '', lower(leftPad(hex(clicks.visitor), 16, '0'))), '') AS visitor,
  nullIf(if(substringUTF8(toString(clicks.utm_source), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.utm_source)), toString(clicks.utm_source)), '') AS utm_source,
  nullIf(if(substringUTF8(toString(clicks.utm_medium), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.utm_medium)), toString(clicks.utm_medium)), '') AS utm_medium,
  nullIf(if(substringUTF8(toString(clicks.utm_campaign), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.utm_campaign)), toString(clicks.utm_campaign)), '') AS utm_campaign,
  nullIf(if(substringUTF8(toString(clicks.utm_term), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.utm_term)), toString(clicks.utm_term)), '') AS utm_term,
  nullIf(if(substringUTF8(toString(clicks.utm_content), 1, 1) IN (char(61), char(43), char(45), char(64), char(39), char(9), char(13), char(10), char(239, 188, 157), char(239, 188, 139), char(239, 188, 141), char(239, 188, 160)), concat('\'', toString(clicks.utm_content)), toString(clicks.utm_content)), '') AS utm_content
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
FORMAT CSV
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
