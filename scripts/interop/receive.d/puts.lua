-- For wrk: PUTs, and the end after COUNT answers. wrk may have sent a few more by then.
wrk.method = "PUT"
wrk.body = os.getenv("CONTENT")
local left = tonumber(os.getenv("COUNT"))

function response(status)
    left = left - 1
    if left == 0 then wrk.thread:stop() end
end
