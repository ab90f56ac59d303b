import { clickDecoder } from "./click-decoder.ts";
import { filters } from "./filters.ts";
import { intervals } from "./intervals.ts";
import { requestHead } from "./request-head.ts";
import { spoolReader } from "./spool-reader.ts";
import type { Target } from "./target.ts";

/** TABLE of the fuzz targets. */
export const targets: readonly Target[] = [requestHead, spoolReader, clickDecoder, filters, intervals];
