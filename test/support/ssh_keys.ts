import { randomBytes } from 'node:crypto';

/** Keys with what `ssh-keygen -l` says of them. */
export const SAMPLES = [
  {
    key: 'ssh-dss AAAAB3NzaC1kc3MAAACBAKKXgjV1rlz6CmuBuG0SXBIiW+dr5I/7N545niKSUP9mNh2A+G07m1gQprvkVL0lsI+LNdqggGDU+07Yu/1VcS54lwr7LUGuY1xJaGvfynIk760JIHqAXPeMLav0tpaMS9ngritiBP1B7w2cNmJJtRxF6tB3j1Dgpje9B++VCmOtAAAAFQDk+UZonz/HBvDlx1C3+U5SD0bx7QAAAIACQdD5M+iVPZMjQJbZIi0isBXQUFyMqa4XKyCG/Inx+Xwl67KFDQUmK8EgphzUsFXXgCRTigb0wMXdpWH0aQpLCrIFEAN7F+aFHN673puboyly3589q5U0prLQZAONc3muIl7QEnwFVfMd1bcixcpZjuhKxEY9pFGbEGyQR0r44AAAAIAPnhy8VF8i40R0/ZpRPyS1dCpBhdLCdW7l3F8L4VibMp06tvuh26oenY3zBTacq0QKV0RJj1eMnieE39y8ALPWf3kU8cpp2FzOLdxdqiZT5dr/ZY6urBNGCCsXvqwnhTwgf2wExAOapGMMHW3iOJbAY4d2y2REqdrOUqzd3yYwPQ== comment of dsa',
    md5: '33:7b:6f:e4:7d:09:04:6b:79:a3:06:fd:38:09:80:07',
    sha256: 'WvQnca8VGDGd9APhqOxIX9QmSnJStUTk4HIbdIebQD0',
  },
  {
    key: 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBAbW6H+lvdoHkzADa3NVr0ec4a19m6tjJlBbB5YHjosO0vCo/4KZ7eWf3TKdPzvC1jqrdjsHB2qqGcl5q2GrTrE= comment of ecdsa',
    md5: 'f5:95:88:2c:ce:46:09:7c:bf:8d:23:59:96:c4:a6:ee',
    sha256: '9H6YOX/GZHNPrtDhHqjMnaBXAHzrpZWopRqvQXYS8WY',
  },
  {
    key: 'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBOwqVYjuhuBF3sjsmummF1aUFJriy04uD+5GeOt4UC9cJJiZJ2x3qkQSBWzOnFNfa29QQAbY7ImAZE/RsXreZuB/NmKgmqMHzdqNaQM/Lun3Swwa4MCT9nW76KCQt5e+Qg== comment of ecdsa',
    md5: 'a2:e8:c6:39:6d:af:84:8b:73:5d:71:fc:f3:c3:e5:b3',
    sha256: 'JG6FaEgpYlx5uMLOfSCzZAPPPM2s2qDCxmV4kov9KhE',
  },
  {
    key: 'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAFyMl0YW0rQAGxVBD5CG2gXzxqOQvvTZ0cO50AYkbRbd+uwqgmZXzDz0Kgm8f+B8ML3RSONp0lx5kDeEgIkd97zWgGC0xjvQb1b0tMsO2MUrkZ0EnXGMOoItsaU9MPrS01xC9sDq5m5k6mBl3mbgYnNSmnb/fJvqXqLx8WMAcxSUGF3lA== comment of ecdsa',
    md5: '05:b2:c1:df:9d:ce:be:b6:35:b1:44:35:94:52:3b:f3',
    sha256: '+rjdl9G5M3/jn+B+OuaCVUtjr9YzXIb0ytmH3mTK2kM',
  },
  {
    key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF+tS7Ho5mVRT4hYWha1rB4qd7d9GHFNP5YjmaedilHY comment of ed25519',
    md5: '77:98:4d:88:61:66:9c:73:27:fa:3b:68:35:20:77:93',
    sha256: 'C+ML+fGnAcMxk0T+zPI4b7hjd+KuyVnwgio5/R/w+cQ',
  },
  {
    key: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDA54ab6e2Nt3RNOIzuBYQqt+8dekvOWsb9yiVrD6nw02EiN1OvpW3jl3mQKdrVApHGDzLqnJxWJDNqEzYxT8p0a4K6lomWGkgv8WVz7nra97xl6JyeNN3H/tl+6bW1ZeJqaJf0z2pSsTg6X7c5yJMbrJSvvazhH9gP8Zo0R/vpc4cwYckXaaLwat9pYTWUDmgK6LhO+8z0YTbLVr93uhDl5Jd9iaw+ZHaw9zyh6z7asvErKbLEDkp4j+/jxqhw37SUFZAxUQMIWEx7L6ctbwpfY2cgrh4PIgZWJqEfZugEmTGJk2Fa5v32ty00DuBNLcrl7ML25aPm3W5+KITnP7m9 comment of rsa',
    md5: 'e2:3c:f1:c7:e1:ee:a0:fc:e2:fe:63:f6:03:16:e0:f3',
    sha256: '/3CxgThBvrPAGg3CGGR8IXYibTU/jB0gjLKZtZN8ix0',
  },
];

/** A key that nobody has yet. */
export function newKey(comment = 'somebody@somewhere'): string {
  return encodeKey('ssh-ed25519', [randomBytes(32)], comment);
}

/** A key of these fields in the form of OpenSSH: each behind its length, the type first. */
export function encodeKey(type: string, fields: (Buffer | string)[], comment = ''): string {
  const bytes = [type, ...fields].flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(field));
    return [length, Buffer.from(field as string)];
  });
  return `${type} ${Buffer.concat(bytes).toString('base64')} ${comment}`.trim();
}
