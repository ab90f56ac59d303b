/** The parts of Temporal that Waypost uses; TypeScript 5.9 does not declare it yet. */
declare namespace Temporal {
  interface ZonedDateTime {
    readonly timeZoneId: string;
    readonly epochMilliseconds: number;
    readonly offsetNanoseconds: number;
    getTimeZoneTransition(direction: "next" | "previous"): ZonedDateTime | null;
  }
  const Instant: {
    fromEpochMilliseconds(milliseconds: number): { toZonedDateTimeISO(timeZone: string): ZonedDateTime };
  };
}
