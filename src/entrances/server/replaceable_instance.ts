import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Instance } from '#src/entrances/server/instance.ts';
import type { Sandbox, Sandboxes } from '#src/entrances/server/sandboxes.ts';
import type { SshAddress } from '#src/platform/config/ssh_address.ts';
import type { Readiness } from '#src/platform/lifecycle/readiness.ts';

/** Opens an instance in a sandbox. */
type Open = (sandbox: Sandbox) => Promise<Instance>;

interface Stage {
  instance: Instance;
  sandbox: Sandbox;
}

/**
 * An instance whose data can be brought back to the beginning: then another one takes its place, on new copies of database and
 * repositories, while the port stays. Requests that come meanwhile wait; those that were being answered are cut off.
 */
export class ReplaceableInstance implements Instance {
  readonly #sandboxes: Sandboxes;
  readonly #open: Open;
  readonly #answering = new Set<ServerResponse>();
  #stage: Stage;
  #resetting: Promise<void> | undefined;
  #removing: Promise<void> = Promise.resolve();

  private constructor(sandboxes: Sandboxes, open: Open, stage: Stage) {
    this.#sandboxes = sandboxes;
    this.#open = open;
    this.#stage = stage;
  }

  /** Opens the first instance. */
  static async open(sandboxes: Sandboxes, open: Open): Promise<ReplaceableInstance> {
    const sandbox = await sandboxes.next();
    return new ReplaceableInstance(sandboxes, open, { sandbox, instance: await open(sandbox) });
  }

  readonly handler: RequestListener = (request, response) => {
    if (this.#resetting)
      void this.#resetting.then(
        () => this.#serve(request, response),
        () => response.destroy(),
      );
    else this.#serve(request, response);
  };

  get readiness(): Readiness {
    return this.#stage.instance.readiness;
  }

  sshAddress(): SshAddress | null | undefined {
    return this.#stage.instance.sshAddress();
  }

  async startSsh(): Promise<void> {
    await this.#stage.instance.startSsh();
    // With the first answer to come: what a reset needs can be made meanwhile.
    this.#sandboxes.prepare();
  }

  async hangUp(grace: number): Promise<void> {
    await this.#stage.instance.hangUp(grace);
  }

  async close(): Promise<void> {
    await this.#resetting?.catch(() => undefined);
    await this.#stage.instance.close();
    await Promise.all([this.#removing, this.#sandboxes.settle()]);
  }

  /** Brings the data back. Resets come one after the other. Throws Error when that fails: the server is of no use then. */
  async reset(): Promise<void> {
    while (this.#resetting) await this.#resetting;
    this.#resetting = this.#replace().finally(() => {
      this.#resetting = undefined;
    });
    await this.#resetting;
  }

  async #replace(): Promise<void> {
    const { instance, sandbox } = this.#stage;
    for (const response of this.#answering) response.destroy();
    await Promise.all([this.#sandboxes.ready(), this.#end(instance)]);
    const next = await this.#sandboxes.next();
    this.#stage = { sandbox: next, instance: await this.#open(withSshPort(next, instance)) };
    await this.#stage.instance.startSsh();
    this.#removing = Promise.all([this.#removing, sandbox.remove()]).then(() => this.#sandboxes.prepare());
    this.#removing.catch(() => undefined);
  }

  async #end(instance: Instance): Promise<void> {
    await instance.hangUp(0);
    await instance.close();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#answering.add(response);
    response.once('close', () => this.#answering.delete(response));
    this.#stage.instance.handler(request, response);
  }
}

/** A free port that was taken for SSH stays the same. */
function withSshPort(sandbox: Sandbox, before: Instance): Sandbox {
  const port = before.sshAddress()?.port;
  const { ssh } = sandbox.config;
  if (!ssh || ssh.port !== 0 || port === undefined) return sandbox;
  return { ...sandbox, config: { ...sandbox.config, ssh: { ...ssh, port } } };
}
