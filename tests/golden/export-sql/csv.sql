SELECT "level", "row" // 20480 AS "range", count(*)::INTEGER
FROM (
SELECT 0 AS "level", rowid AS "row", * FROM "fresh"
UNION ALL SELECT 1 AS "level", rowid AS "row", * FROM "recent"
UNION ALL SELECT 2 AS "level", rowid AS "row", * FROM "settled"
) AS facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" NOT IN ($1, $2))
  AND facts."url" IN (SELECT "number" FROM "urls" WHERE "workspaceId" = 7 AND "urls"."utm_source" IN ($3, ''))
  AND false
GROUP BY ALL ORDER BY ALL;
-- ["US","CA","'; DROP TABLE clicks; --"]

COPY (
SELECT
  "id" AS "id",
  strftime(epoch_ms("time"), '%Y-%m-%dT%H:%M:%S.%gZ') AS "timestamp",
  "linkId" AS "linkId",
  coalesce(named."label", "domain") AS "domain",
  CASE WHEN "key" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("key", 1)) > 0 THEN '''' || "key" ELSE "key" END AS "key",
  CASE WHEN "url" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("url", 1)) > 0 THEN '''' || "url" ELSE "url" END AS "url",
  CASE WHEN "country" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("country", 1)) > 0 THEN '''' || "country" ELSE "country" END AS "country",
  CASE WHEN "region" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("region", 1)) > 0 THEN '''' || "region" ELSE "region" END AS "region",
  CASE WHEN "city" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("city", 1)) > 0 THEN '''' || "city" ELSE "city" END AS "city",
  CASE WHEN "continent" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("continent", 1)) > 0 THEN '''' || "continent" ELSE "continent" END AS "continent",
  CASE WHEN "device" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("device", 1)) > 0 THEN '''' || "device" ELSE "device" END AS "device",
  CASE WHEN "browser" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("browser", 1)) > 0 THEN '''' || "browser" ELSE "browser" END AS "browser",
  CASE WHEN "os" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("os", 1)) > 0 THEN '''' || "os" ELSE "os" END AS "os",
  CASE WHEN "referer" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("referer", 1)) > 0 THEN '''' || "referer" ELSE "referer" END AS "referer",
  CASE WHEN "refererUrl" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("refererUrl", 1)) > 0 THEN '''' || "refererUrl" ELSE "refererUrl" END AS "refererUrl",
  CASE WHEN "language" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("language", 1)) > 0 THEN '''' || "language" ELSE "language" END AS "language",
  "trigger" AS "trigger",
  "trigger" = 'qr' AS "qr",
  nullif("bot", '') AS "bot",
  lower(lpad(to_hex("visitor"), 16, '0')) AS "visitor",
  CASE WHEN "utm_source" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("utm_source", 1)) > 0 THEN '''' || "utm_source" ELSE "utm_source" END AS "utm_source",
  CASE WHEN "utm_medium" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("utm_medium", 1)) > 0 THEN '''' || "utm_medium" ELSE "utm_medium" END AS "utm_medium",
  CASE WHEN "utm_campaign" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("utm_campaign", 1)) > 0 THEN '''' || "utm_campaign" ELSE "utm_campaign" END AS "utm_campaign",
  CASE WHEN "utm_term" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("utm_term", 1)) > 0 THEN '''' || "utm_term" ELSE "utm_term" END AS "utm_term",
  CASE WHEN "utm_content" = '' THEN NULL WHEN strpos('=' || '+' || '-' || '@' || '''' || chr(9) || chr(13) || chr(10) || '＝' || '＋' || '－' || '＠', left("utm_content", 1)) > 0 THEN '''' || "utm_content" ELSE "utm_content" END AS "utm_content"
FROM (
SELECT ("origins"."idHigh" || lpad(to_hex(facts."idLow"), 16, '0'))::UUID AS "id"
  , facts."time", facts."workspaceId"
  , "links"."linkId"
  , "links"."domainId"
  , "links"."domain"
  , "links"."key"
  , "urls"."url"
  , "urls"."utm_source"
  , "urls"."utm_medium"
  , "urls"."utm_campaign"
  , "urls"."utm_term"
  , "urls"."utm_content"
  , "places"."country"
  , "places"."region"
  , "places"."city"
  , "places"."continent"
  , "agents"."device"
  , "agents"."browser"
  , "agents"."os"
  , "referrers"."referer"
  , "referrers"."refererUrl"
  , "languages"."language"
  , CASE facts."trigger" WHEN 0 THEN 'link' WHEN 1 THEN 'qr' END AS "trigger"
  , CASE facts."bot" WHEN 0 THEN '' WHEN 1 THEN 'search' WHEN 2 THEN 'preview' WHEN 3 THEN 'ai' WHEN 4 THEN 'monitor' WHEN 5 THEN 'tool' WHEN 6 THEN 'prefetch' WHEN 7 THEN 'head' END AS "bot"
  , nullif(facts."visitor", 0) AS "visitor"
FROM (
SELECT facts.*
FROM "recent" AS facts
WHERE rowid >= 20480 AND rowid < 122880
  AND facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" NOT IN ($1, $2))
  AND facts."url" IN (SELECT "number" FROM "urls" WHERE "workspaceId" = 7 AND "urls"."utm_source" IN ($3, ''))
  AND false
) AS facts
JOIN "links" ON "links"."number" = facts."link"
JOIN "urls" ON "urls"."number" = facts."url"
JOIN "places" ON "places"."number" = facts."place"
JOIN "agents" ON "agents"."number" = facts."agent"
JOIN "referrers" ON "referrers"."number" = facts."referrer"
JOIN "languages" ON "languages"."number" = facts."language"
JOIN "origins" ON "origins"."number" = facts."origin"
WHERE "links"."workspaceId" = 7 AND "urls"."workspaceId" = 7
) AS clicks
LEFT JOIN (SELECT unnest(from_json($4, '["VARCHAR"]')) AS "value", unnest(from_json($5, '["VARCHAR"]')) AS "label") AS named
  ON "domainId" = named."value"
) TO 'exports/it''s one' (FORMAT csv, HEADER true, NEW_LINE '\r\n', USE_TMP_FILE false);
-- ["US","CA","'; DROP TABLE clicks; --","[\"dom_a\"]","[\"go.example.com\"]"]
