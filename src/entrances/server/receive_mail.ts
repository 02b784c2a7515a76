import { type Received, receiveMail } from '#src/domain/mail_in/receive.ts';
import { withQueue } from '#src/platform/background/boss.ts';
import type { Config } from '#src/platform/config/config.ts';
import { connect } from '#src/platform/database/db.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { withDatabase } from '#src/platform/lifecycle/database.ts';
import { requireGantry } from '#src/platform/lifecycle/require_gantry.ts';
import { agreeOnSecret } from '#src/platform/lifecycle/secret.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { startMailIn } from '#src/platform/outbound/mail/mail_in.ts';
import { addressIn } from '#src/platform/outbound/mail/mailer.ts';

/** Receives one message for the server of the settings, whether that runs or not. Throws an Error where there is none. */
export async function receiveIntoQueue(config: Config, log: Logger, content: Uint8Array): Promise<Received> {
  requireGantry(config);
  return withDatabase(config, log, 'gantry mail-in', async (url) => {
    await migrate(url);
    const db = connect(url);
    try {
      if (config.mailIn) startMailIn(db, config.mailIn.address);
      const secret = await agreeOnSecret(db, config);
      const ownAddress = config.mail ? addressIn(config.mail.from) : null;
      return await withQueue(url, ['mail_in.handle'], (jobs) => receiveMail({ db, jobs, secret, ownAddress }, content));
    } finally {
      await db.$disconnect();
    }
  });
}
