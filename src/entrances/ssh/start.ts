import { SSH_LIMITS, type SshLimits } from '#src/entrances/ssh/limits.ts';
import { listenSsh } from '#src/entrances/ssh/server.ts';
import type { CommandFacts, SshServices } from '#src/entrances/ssh/services.ts';
import { type SshConfig, sshAddress } from '#src/platform/config/ssh.ts';
import type { SshAddress } from '#src/platform/config/ssh_address.ts';
import type { Logger } from '#src/platform/observability/log.ts';
import { sshCommands } from '#src/platform/observability/metrics/registry.ts';

export interface SshOptions extends Pick<SshServices, 'stores' | 'gitConcurrency' | 'report' | 'baseUrl'> {
  log?: Logger | undefined;
  /** Private host keys, preferred first. */
  hostKeys: Promise<readonly string[]>;
  /** Overrides of the default limits. */
  limits?: Partial<SshLimits> | undefined;
}

/** A running SSH server. */
export interface StartedSsh {
  address: SshAddress;
  /** Ends idle connections, and waits so many milliseconds for running commands. */
  close(grace: number): Promise<void>;
}

/**
 * Starts serving git over SSH, as configured. Null if the default port is taken: the server then logs that and runs without SSH.
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
