import type { Db as QueueDatabase } from 'pg-boss';
import { keepListening } from '#src/database/listen.ts';
import { meteredPool } from '#src/database/pool.ts';

/** What the queue asks the database with; ends when the queue has stopped. */
export interface QueueConnection extends QueueDatabase {
  close(): Promise<void>;
}

/** How many connections the queue has for itself, besides the one that listens. */
const CONNECTIONS = 4;

/** Connections of the queue, which outlive outages as all others do. `report` hears once of each outage of the one that listens. */
export function queueConnection(url: string, report: (error: unknown) => void): QueueConnection {
  const pool = meteredPool({ connectionString: url, max: CONNECTIONS, application_name: 'gantry jobs' });
  return {
    executeSql: (text, values) => pool.query(text, values),
    async listen(channel, onNotification, onReconnect) {
      let isFirst = true;
      const onConnected = () => {
        if (!isFirst) onReconnect();
        isFirst = false;
      };
      const name = 'gantry jobs listener';
      const close = await keepListening({ url, channel, name, onNotification, onConnected, report });
      return { close };
    },
    close: () => pool.end(),
  };
}
