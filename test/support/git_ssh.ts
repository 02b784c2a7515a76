import { readFileSync } from 'node:fs';
import ssh2 from 'ssh2';

/**
 * What git runs in the place of `ssh` in tests that must not need one: `git_ssh.ts <key> [-o …] [-p port] git@host command`. Host
 * keys are taken as they come.
 */
const [keyFile = '', ...args] = process.argv.slice(2);
let port = 22;
while (args[0]?.startsWith('-')) {
  const [option, value] = args.splice(0, 2);
  if (option === '-p') port = Number(value);
}
const [username = '', host = ''] = (args.shift() ?? '').split('@');
const client = new ssh2.Client();
client.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(255);
});
client.on('ready', () => {
  const { GIT_PROTOCOL } = process.env;
  const env = GIT_PROTOCOL === undefined ? {} : { GIT_PROTOCOL };
  client.exec(args.join(' '), { env }, (error, channel) => {
    if (error) throw error;
    process.stdin.pipe(channel);
    channel.pipe(process.stdout);
    channel.stderr.pipe(process.stderr);
    let status = 255;
    channel.on('exit', (code: number) => {
      status = code;
    });
    channel.on('close', () => {
      process.exitCode = status;
      client.end();
      process.stdin.destroy();
    });
  });
});
client.connect({ host, port, username, privateKey: readFileSync(keyFile) });
// Otherwise each step of the handshake waits until the one before is acknowledged.
client.setNoDelay();
