/** What Waypost uses of Temporal, which the runtime has and TypeScript 5.9 does not describe yet. */
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
