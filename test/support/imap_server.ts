import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

interface Kept {
  uid: number;
  content: Buffer;
  flags: Set<string>;
}

/** A mail server with one mailbox (RFC 3501, with IDLE and UIDPLUS), as far as reading it goes. */
export class ImapServer {
  readonly messages: Kept[] = [];
  /** The commands that came, without their tags. */
  readonly commands: string[] = [];
  /** Ends the connection instead of answering the next command that begins so. */
  endingAt: string | null = null;
  url = '';
  /** How many clients have signed in since the start. */
  logins = 0;
  readonly #idling = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  #uid = 0;
  readonly #server = createServer((socket) => this.#serve(socket));

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `imap://gantry:p%40ss@127.0.0.1:${(this.#server.address() as AddressInfo).port}/Incoming`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.drop();
    await once(this.#server, 'close');
  }

  /** Ends all connections. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A message comes in; clients that wait are told. */
  deliver(content: Buffer): number {
    this.#uid += 1;
    this.messages.push({ uid: this.#uid, content, flags: new Set() });
    for (const socket of this.#idling) socket.write(`* ${this.messages.length} EXISTS\r\n`);
    return this.#uid;
  }

  flagsOf(uid: number): string[] | null {
    const found = this.messages.find((one) => one.uid === uid);
    return found ? [...found.flags] : null;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.#sockets.delete(socket);
        this.#idling.delete(socket);
      });
    socket.write('* OK ready\r\n');
    let rest = '';
    let idle = '';
    socket.on('data', (data: Buffer) => {
      const lines = (rest + data.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.toUpperCase() === 'DONE') {
          this.#idling.delete(socket);
          socket.write(`${idle} OK done\r\n`);
          continue;
        }
        const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
        this.commands.push(command);
        if (this.endingAt !== null && command.startsWith(this.endingAt)) {
          this.endingAt = null;
          socket.destroy();
          return;
        }
        if (/^IDLE$/i.test(command)) {
          idle = tag;
          this.#idling.add(socket);
          // What came since the last command is told now.
          socket.write(`+ idling\r\n* ${this.messages.length} EXISTS\r\n`);
        } else this.#answer(socket, tag, command);
      }
    });
  }

  #answer(socket: Socket, tag: string, command: string): void {
    const say = (line: string) => socket.write(`${line}\r\n`);
    const ok = () => say(`${tag} OK done`);
    const at = (uid: string) => this.messages.findIndex((one) => one.uid === Number(uid));
    const [, sought = ''] = /^UID (?:FETCH|STORE|EXPUNGE) (\d+)/i.exec(command) ?? [];
    const message = this.messages[at(sought)];
    if (/^CAPABILITY/i.test(command)) say('* CAPABILITY IMAP4rev1 IDLE UIDPLUS');
    if (/^LOGIN/i.test(command)) {
      if (!/"?gantry"? "?p@ss"?/.test(command)) {
        say(`${tag} NO [AUTHENTICATIONFAILED] wrong`);
        return;
      }
      this.logins += 1;
    }
    if (/^LIST "" ""$/i.test(command)) say('* LIST (\\Noselect) "/" ""');
    else if (/^LIST/i.test(command)) say('* LIST () "/" "Incoming"');
    if (/^(SELECT|EXAMINE)/i.test(command)) {
      if (!command.includes('Incoming')) {
        say(`${tag} NO [NONEXISTENT] no such mailbox`);
        return;
      }
      say(
        `* FLAGS (\\Seen \\Deleted)\r\n* ${this.messages.length} EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n* OK [UIDNEXT ${this.#uid + 1}] next`,
      );
      say(`${tag} OK [READ-WRITE] done`);
      return;
    }
    if (/^UID SEARCH/i.test(command)) {
      const unread = this.messages.filter(({ flags }) => !flags.has('\\Seen') && !flags.has('\\Deleted'));
      say(['* SEARCH', ...unread.map(({ uid }) => uid)].join(' '));
    }
    if (/^UID FETCH/i.test(command) && message) {
      const size = `UID ${message.uid} RFC822.SIZE ${message.content.length}`;
      if (/BODY\.PEEK\[\]/i.test(command)) {
        socket.write(`* ${at(sought) + 1} FETCH (${size} BODY[] {${message.content.length}}\r\n`);
        socket.write(message.content);
        say(')');
      } else say(`* ${at(sought) + 1} FETCH (${size})`);
    }
    if (/^UID STORE/i.test(command) && message) {
      for (const [flag] of command.matchAll(/\\\w+/g)) message.flags.add(flag);
    }
    if (/^UID EXPUNGE/i.test(command) && message?.flags.has('\\Deleted')) {
      say(`* ${at(sought) + 1} EXPUNGE`);
      this.messages.splice(at(sought), 1);
    }
    if (/^LOGOUT/i.test(command)) say('* BYE');
    ok();
    if (/^LOGOUT/i.test(command)) socket.end();
  }
}
