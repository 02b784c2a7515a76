import { AbstractStartedContainer, GenericContainer, Wait } from 'testcontainers';

const PORT = 8080;

/*
 * The server obeys lines on its standard input and answers on its standard output (`gantry serve --ephemeral --control`). Neither can be
 * reached from outside of a container, so its input is a named pipe there, and its answers are in a file. The pipe is open for
 * writing, too, so that it does not end with the first who writes.
 */
const FILES = `control="\${TMPDIR:-/tmp}/gantry-control" answers="\${TMPDIR:-/tmp}/gantry-answers"`;
const SERVE = `${FILES}
[ -p "$control" ] || mkfifo -m 600 "$control" || exit
exec node bin/gantry.js serve --ephemeral --control --port "$PORT" "$@" <>"$control" >"$answers"`;

/** Prints the answer with which the server started. */
const STARTED = `${FILES}
until [ -s "$answers" ]; do sleep 0.05; done
head -n 1 "$answers"`;

/** Resets the server, and prints its answer. Ends with a status other than 0 when none has come after a minute. */
const RESET = `${FILES}
before=$(wc -l <"$answers")
echo reset >"$control"
for _ in $(seq 1200); do
  [ "$(wc -l <"$answers")" -gt "$before" ] && exec tail -n 1 "$answers"
  sleep 0.05
done
exit 1`;

export class GantryContainer extends GenericContainer {
  #seed = false;

  constructor(image) {
    super(image);
    this.withExposedPorts(PORT)
      .withEnvironment({ HOST: '0.0.0.0', PORT: String(PORT), LOG_LEVEL: 'warn', GANTRY_SSH_PORT: 'none' })
      // A container has 64 MB of memory to keep files in, unless it asks for more: the server then keeps all its data there.
      .withSharedMemorySize(2 ** 31)
      .withWaitStrategy(Wait.forHttp('/-/readiness', PORT))
      .withStartupTimeout(180_000);
  }

  withSeed() {
    this.#seed = true;
    return this;
  }

  async start() {
    const options = this.#seed ? ['--seed', '--expose-known-tokens'] : [];
    this.withEntrypoint(['tini', '--', 'sh', '-c', SERVE, 'gantry']).withCommand(options);
    const container = await super.start();
    try {
      const { tokens } = await ask(container, STARTED);
      return new StartedGantryContainer(container, tokens);
    } catch (error) {
      await container.stop();
      throw error;
    }
  }
}

export class StartedGantryContainer extends AbstractStartedContainer {
  #resetting = Promise.resolve();

  constructor(container, tokens) {
    super(container);
    this.url = `http://${container.getHost()}:${container.getMappedPort(PORT)}`;
    this.tokens = tokens;
  }

  /** One after the other: an answer does not say to whom it is. */
  reset() {
    const next = this.#resetting.then(() => ask(this, RESET));
    this.#resetting = next.catch(() => undefined);
    return next.then(() => undefined);
  }
}

async function ask(container, script) {
  const { exitCode, stdout, output } = await container.exec(['sh', '-c', script]);
  if (exitCode !== 0) throw new Error(`The Gantry server does not answer. ${output}`.trim());
  const answer = JSON.parse(stdout);
  if (answer.event === 'failed') throw new Error(answer.message);
  return answer;
}
