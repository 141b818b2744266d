// Starts the server and hands everything to it.

const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const [command, ...args] = workspace.getConfiguration("seqlang").get("server");
  const server = { command, args };
  client = new LanguageClient("seqlang", "seqlang", server, { documentSelector: [{ language: "seq" }] });
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `seqlang: \`${command}\` does not start (${error.message}). Install it, pip install 'seqlang[editor]', ` +
        "or name it in the setting seqlang.server; colours and snippets work without it."
    );
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
