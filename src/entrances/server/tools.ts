import type { CheckedPart, ServerTools } from '#src/domain/administration/server_tools.ts';
import { examine } from '#src/entrances/doctor/examine.ts';
import { retryDeadLetters } from '#src/platform/background/dead_letters.ts';
import type { Config } from '#src/platform/config/config.ts';

/** What administrators can have the process of a server do. */
export function serverTools(config: Config, directUrl: string): ServerTools {
  let examining: Promise<readonly CheckedPart[]> | undefined;
  return {
    // Who asks during an examination gets its results: it starts programs and writes to disks.
    examine() {
      examining ??= examine(config, directUrl).finally(() => {
        examining = undefined;
      });
      return examining;
    },
    retryDeadJobs: (ids) => retryDeadLetters(directUrl, ids),
  };
}
