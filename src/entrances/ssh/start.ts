import { SSH_LIMITS, type SshLimits } from '#src/entrances/ssh/limits.ts';
import { listenSsh } from '#src/entrances/ssh/server.ts';
import type { CommandFacts, SshServices } from '#src/entrances/ssh/services.ts';
import { type SshConfig, sshAddress } from '#src/platform/config/ssh.ts';
import type { SshAddress } from '#src/platform/config/ssh_address.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { sshCommands } from '#src/platform/observability/metrics/registry.ts';

export interface SshOptions extends Pick<SshServices, 'stores' | 'gitConcurrency' | 'report'> {
  log?: Logger | undefined;
  /** Private host keys, the preferred one first. */
  hostKeys: Promise<readonly string[]>;
  /** Where they are not the usual ones. */
  limits?: Partial<SshLimits> | undefined;
}

/** A server that is reached over SSH. */
export interface StartedSsh {
  address: SshAddress;
  /** Ends what does nothing, and waits so many milliseconds for the commands that run. */
  close(grace: number): Promise<void>;
}

/**
 * Begins to serve clients of git over SSH, as the settings say. Null where nobody has chosen the
 * port and it is taken: the log says so, and the server does without.
 *
 * @throws Error that says which setting to change
 */
export async function startSsh(
  config: SshConfig,
  { log, limits, hostKeys, ...shared }: SshOptions,
): Promise<StartedSsh | null> {
  const tell = (facts: CommandFacts) => {
    const { command, status, ms } = facts;
    sshCommands.observe({ command, outcome: status === 0 ? 'success' : 'failure' }, ms / 1_000);
    if (log?.isLevelEnabled('info')) log.info({ ...facts, ms: Math.round(facts.ms * 10) / 10 }, 'ssh');
  };
  const services: SshServices = { ...shared, limits: { ...SSH_LIMITS, ...limits }, tell };
  const { host, port } = config;
  try {
    const listening = await listenSsh({ host, port, hostKeys: await hostKeys, services });
    return { address: sshAddress(config, listening.port), close: (grace) => listening.close(grace) };
  } catch (error) {
    const isTaken = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
    if (!config.isUsualPort || !isTaken) throw error;
    log?.warn(
      `Port ${port} on ${host} is in use by another program: there is no access over SSH. Set GANTRY_SSH_PORT to another port, or to none.`,
    );
    return null;
  }
}
