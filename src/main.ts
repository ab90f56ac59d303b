import { keepNewFilesPrivate } from "./base/private-files.ts";
import { runCommand } from "./cli/run-command.ts";

keepNewFilesPrivate();
await runCommand(process.argv);
process.exit();
