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
  make_timestamptz("time" * 1000) AS "timestamp",
  "linkId" AS "linkId",
  coalesce(named."label", "domain") AS "domain",
  nullif("key", '') AS "key",
  nullif("url", '') AS "url",
  nullif("country", '') AS "country",
  nullif("region", '') AS "region",
  nullif("city", '') AS "city",
  nullif("continent", '') AS "continent",
  nullif("device", '') AS "device",
  nullif("browser", '') AS "browser",
  nullif("os", '') AS "os",
  nullif("referer", '') AS "referer",
  nullif("refererUrl", '') AS "refererUrl",
  nullif("language", '') AS "language",
  "trigger" AS "trigger",
  "trigger" = 'qr' AS "qr",
  nullif("bot", '') AS "bot",
  lower(lpad(to_hex("visitor"), 16, '0')) AS "visitor",
  nullif("utm_source", '') AS "utm_source",
  nullif("utm_medium", '') AS "utm_medium",
  nullif("utm_campaign", '') AS "utm_campaign",
  nullif("utm_term", '') AS "utm_term",
  nullif("utm_content", '') AS "utm_content"
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
) TO 'exports/it''s one' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480, USE_TMP_FILE false);
-- ["US","CA","'; DROP TABLE clicks; --","[\"dom_a\"]","[\"go.example.com\"]"]

COPY (FROM read_parquet(['part-0', 'part-1'], hive_partitioning = false)) TO 'exports/it''s one' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480, USE_TMP_FILE false);
-- []
