// dream-mcp: shows the model memories that a session's start or a prompt calls for, and guards an open dream.
// Written by `dream-mcp install opencode`, and removed by `dream-mcp uninstall opencode`.
import { spawn } from "node:child_process"

const command = [] // COMMAND
const patience = 2000 // milliseconds

// ask hands an event to dream-mcp and returns its answer; {} where there is none.
const ask = (event, cwd) =>
  new Promise((resolve) => {
    try {
      const child = spawn(command[0], command.slice(1), { cwd, stdio: ["pipe", "pipe", "ignore"], timeout: patience })
      let said = ""
      child.stdout.on("data", (data) => (said += data))
      child.stdin.on("error", () => {})
      child.on("error", () => resolve({}))
      child.on("close", () => {
        try {
          resolve(JSON.parse(said).hookSpecificOutput ?? {})
        } catch {
          resolve({})
        }
      })
      child.stdin.end(JSON.stringify({ cwd, ...event }))
    } catch {
      resolve({})
    }
  })

export const DreamMcp = async ({ directory }) => {
  const begun = new Set()
  return {
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const shown = []
      if (!begun.has(id)) {
        begun.add(id)
        shown.push(await ask({ hook_event_name: "SessionStart", source: "startup", session_id: id }, directory))
      }
      shown.push(await ask({ hook_event_name: "UserPromptSubmit", session_id: id, prompt: typed.map((part) => part.text).join("\n") }, directory))
      shown.forEach(({ additionalContext }, n) => {
        const last = output.parts[output.parts.length - 1]
        if (!additionalContext || !last) return
        output.parts.push({ id: last.id + "dream" + n, sessionID: last.sessionID, messageID: last.messageID, type: "text", text: additionalContext, synthetic: true })
      })
    },
    "tool.execute.before": async (input, output) => {
      const answer = await ask({ hook_event_name: "PreToolUse", session_id: input.sessionID, tool_name: input.tool, tool_input: output.args }, directory)
      if (answer.permissionDecision === "deny") throw new Error(answer.permissionDecisionReason)
    },
  }
}
