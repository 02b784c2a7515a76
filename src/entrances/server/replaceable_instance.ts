import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Instance } from '#src/entrances/server/instance.ts';
import type { Sandbox, Sandboxes } from '#src/entrances/server/sandboxes.ts';
import { Upgrades } from '#src/entrances/web/upgrades.ts';
import type { SshAddress } from '#src/platform/config/ssh_address.ts';
import type { Readiness } from '#src/platform/lifecycle/readiness.ts';

/** Opens an instance in a sandbox; `upgrades` receives its handler of WebSocket connections. */
type Open = (sandbox: Sandbox, upgrades: Upgrades) => Promise<Instance>;

interface Stage {
  sandbox: Sandbox;
  instance: Instance;
  upgrades: Upgrades;
}

/**
 * An instance whose data can be brought back to the beginning: then another one takes its place, on new copies of database and
 * repositories, while the ports stay. It is opened ahead, so that it only has to be put there. Requests that come meanwhile wait;
 * those that were being answered are cut off.
 */
export class ReplaceableInstance implements Instance {
  readonly #sandboxes: Sandboxes;
  readonly #open: Open;
  readonly #upgrades: Upgrades;
  readonly #answering = new Set<ServerResponse>();
  #stage: Stage;
  #ahead: Promise<Stage> | undefined;
  #resetting: Promise<void> | undefined;
  #removing: Promise<void> = Promise.resolve();

  private constructor(sandboxes: Sandboxes, open: Open, upgrades: Upgrades, stage: Stage) {
    this.#sandboxes = sandboxes;
    this.#open = open;
    this.#upgrades = upgrades;
    this.#stage = stage;
    stage.upgrades.handOver(upgrades);
  }

  /**
   * Opens the first instance.
   *
   * @param upgrades those of the server, which lead to the present instance
   */
  static async open(sandboxes: Sandboxes, open: Open, upgrades: Upgrades): Promise<ReplaceableInstance> {
    return new ReplaceableInstance(sandboxes, open, upgrades, await openStage(sandboxes, open));
  }

  readonly handler: RequestListener = (request, response) => {
    const serve = () => this.#serve(request, response);
    if (this.#resetting) this.#resetting.then(serve, () => response.destroy());
    else serve();
  };

  get readiness(): Readiness {
    return this.#stage.instance.readiness;
  }

  sshAddress(): SshAddress | null | undefined {
    return this.#stage.instance.sshAddress();
  }

  async startSsh(port?: number): Promise<void> {
    await this.#stage.instance.startSsh(port);
    this.#prepare();
  }

  async closeConnections(grace: number): Promise<void> {
    await this.#stage.instance.closeConnections(grace);
  }

  async close(): Promise<void> {
    await this.#resetting?.catch(() => undefined);
    await this.#stage.instance.close();
    await this.#removing;
    const unused = await this.#ahead?.catch(() => undefined);
    await unused?.instance.close();
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
    const port = instance.sshAddress()?.port;
    for (const response of this.#answering) response.destroy();
    const [next] = await Promise.all([this.#takeNext(), instance.closeConnections(0).then(() => instance.close())]);
    this.#stage = next;
    next.upgrades.handOver(this.#upgrades);
    await next.instance.startSsh(port);
    this.#removing = this.#removing
      .then(() => sandbox.remove())
      // It goes with the whole directory, at the latest.
      .catch(() => undefined)
      .finally(() => this.#prepare());
  }

  /** The instance that was opened ahead, or one that is opened now, if that failed as on a machine with too much to do. */
  async #takeNext(): Promise<Stage> {
    const ahead = await this.#ahead?.catch(() => undefined);
    this.#ahead = undefined;
    return ahead ?? openStage(this.#sandboxes, this.#open);
  }

  /** Begins to open the next instance, unless that was done. */
  #prepare(): void {
    this.#ahead ??= openStage(this.#sandboxes, this.#open);
    // The reset that needs it then opens one itself.
    this.#ahead.catch(() => undefined);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#answering.add(response);
    response.once('close', () => this.#answering.delete(response));
    this.#stage.instance.handler(request, response);
  }
}

async function openStage(sandboxes: Sandboxes, open: Open): Promise<Stage> {
  const sandbox = await sandboxes.make();
  const upgrades = new Upgrades();
  return { sandbox, upgrades, instance: await open(sandbox, upgrades) };
}
