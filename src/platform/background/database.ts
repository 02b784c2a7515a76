import type { ConstructorOptions } from 'pg-boss';
import type { Listener } from '#src/platform/database/listener.ts';
import { meteredPool } from '#src/platform/database/pool.ts';

/** The connections of the job queue. */
export type QueueDatabase = NonNullable<ConstructorOptions['db']> & { close(): Promise<void> };

/** How many connections the queue of one process has at most. */
const CONNECTIONS = 4;

/**
 * What the job queue runs its statements on, and is notified of new jobs by.
 *
 * @param listener what notifies it; nothing when absent
 */
export function queueDatabase(
  url: string,
  { listener, connections = CONNECTIONS }: { listener?: Listener | undefined; connections?: number | undefined } = {},
): QueueDatabase {
  const pool = meteredPool({ connectionString: url, application_name: 'gantry jobs', max: connections });
  return {
    executeSql: (text, values) => pool.query(text, values as unknown[]),
    ...(listener && {
      async listen(channel, heard, connected) {
        return { close: await listener.subscribe(channel, heard, connected) };
      },
    }),
    close: () => pool.end(),
  };
}
