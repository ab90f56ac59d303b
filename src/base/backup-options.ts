import { ageRecipients, backupPlace, origin, token, wholeNumber } from "./option-parsers.ts";

/** The part of the table of options (config.ts) about scheduled backups and the S3 server that holds them. */
export const backupOptions = {
  WAYPOST_BACKUP_TO: {
    help: "Existing folder, or S3 bucket, for scheduled backups; without it, Waypost makes none by itself",
    example: "s3://my-bucket/waypost",
    parse: backupPlace,
  },
  WAYPOST_BACKUP_EVERY_HOURS: {
    help: "Hours from one scheduled backup to the next",
    example: "24",
    fallback: "24",
    parse: wholeNumber(1, 8_760),
  },
  WAYPOST_BACKUP_KEEP: {
    help: "How many scheduled backups to keep; older ones are deleted",
    example: "7",
    fallback: "7",
    parse: wholeNumber(1, 1_000),
  },
  WAYPOST_BACKUP_ENCRYPT_TO: {
    help: "Public keys of age that backups are encrypted to, comma-separated",
    example: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    fallback: "",
    parse: ageRecipients,
  },
  WAYPOST_S3_ENDPOINT: {
    help: "URL of the S3 server, for providers other than AWS; or AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL",
    example: "https://s3.example.com",
    standardNames: ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"],
    parse: origin,
  },
  WAYPOST_S3_REGION: {
    help: "Region of the bucket; or AWS_REGION, or AWS_DEFAULT_REGION",
    example: "eu-central-1",
    fallback: "us-east-1",
    standardNames: ["AWS_REGION", "AWS_DEFAULT_REGION"],
    parse: token,
  },
  WAYPOST_S3_ACCESS_KEY_ID: {
    help: "Access key for the bucket; or AWS_ACCESS_KEY_ID",
    example: "AKIAIOSFODNN7EXAMPLE",
    standardNames: ["AWS_ACCESS_KEY_ID"],
    parse: token,
  },
  WAYPOST_S3_SECRET_ACCESS_KEY: {
    help: "Secret of the access key; or AWS_SECRET_ACCESS_KEY",
    example: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    standardNames: ["AWS_SECRET_ACCESS_KEY"],
    parse: token,
    secret: true,
  },
  WAYPOST_S3_SESSION_TOKEN: {
    help: "Session token of temporary credentials; or AWS_SESSION_TOKEN",
    example: "AQoDYXdzEJr1K",
    standardNames: ["AWS_SESSION_TOKEN"],
    parse: token,
    secret: true,
  },
} as const;
